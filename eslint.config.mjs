// Rules beyond what the type checker finds. It needs no plugin.

/** What `bundle.py` can put together: see its docstring. */
const bundled = [
  {
    selector: "ExportDefaultDeclaration",
    message: "Export by name: the bundler knows no default export.",
  },
  {
    selector: "ExportAllDeclaration, ExportNamedDeclaration[source]",
    message: "Import first, then export: the bundler knows no export from another module.",
  },
  {
    selector: "ImportDefaultSpecifier",
    message: "Import by name: the bundler knows no default import.",
  },
  {
    selector: "ExportNamedDeclaration > VariableDeclaration[kind!='const']",
    message: "Export a constant: in a bundle an export is read once.",
  },
  {
    selector:
      "ExportNamedDeclaration > VariableDeclaration > VariableDeclarator > :not(Identifier).id",
    message: "Export names one by one: the bundler reads no patterns.",
  },
  {
    selector: "ExportNamedDeclaration > VariableDeclaration[declarations.length!=1]",
    message: "Export names one by one: the bundler reads no lists.",
  },
  { selector: "ImportExpression", message: "Import at the top: a page is one script." },
  { selector: "MetaProperty[meta.name='import']", message: "A page is one script without a URL." },
  {
    selector: "TemplateElement[value.raw=/\\n/]",
    message: "Keep texts within one line: the bundler takes lines for code or comments.",
  },
];

/** Words of no meaning as names: a noun says what a value is. */
const vague = ["asked", "each", "found", "one", "place", "taken", "there", "told", "two", "wanted"];

/** Reports variables and parameters. The built-in "id-denylist" also reports functions and properties,
    for which a verb such as `place` is right. */
const noVagueNames = {
  create: (context) => ({
    "Program:exit"() {
      const { scopes } = context.sourceCode.scopeManager;
      const defs = scopes
        .flatMap(({ variables }) => variables)
        .flatMap((variable) => variable.defs);
      for (const { type, name: node } of defs) {
        if (["FunctionName", "ImportBinding"].includes(type) || !vague.includes(node.name))
          continue;
        context.report({ node, message: `Name the value by a noun, not by '${node.name}'.` });
      }
    },
  }),
};

export default [
  {
    files: ["**/*.js", "**/*.mjs"],
    linterOptions: { reportUnusedDisableDirectives: "error" },
    plugins: { words: { rules: { "no-vague-names": noVagueNames } } },
    rules: {
      "words/no-vague-names": "error",
      "array-callback-return": "error",
      complexity: ["error", 12],
      "consistent-return": "error",
      curly: ["error", "multi-line"],
      "dot-notation": "error",
      eqeqeq: "error",
      "no-cond-assign": ["error", "always"],
      "no-console": "error",
      "no-constant-binary-expression": "error",
      "no-dupe-else-if": "error",
      "no-else-return": "error",
      "no-empty": "error",
      "no-eval": "error",
      "no-implicit-coercion": "error",
      "no-implied-eval": "error",
      "no-lonely-if": "error",
      "no-nested-ternary": "error",
      "no-param-reassign": "error",
      "no-return-assign": "error",
      "no-self-compare": "error",
      "no-sequences": "error",
      "no-shadow": "error",
      "no-unneeded-ternary": "error",
      "no-unused-expressions": "error",
      "no-unused-vars": "error",
      "no-useless-assignment": "error",
      "no-useless-concat": "error",
      "no-useless-rename": "error",
      "no-useless-return": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      "prefer-template": "error",
      "require-await": "error",
    },
  },
  {
    files: ["pwtourney/web/*/*.js"],
    rules: { "no-restricted-syntax": ["error", ...bundled] },
  },
];
