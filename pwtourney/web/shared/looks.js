/* Colours, cloths and measures of all drawings, as data. A motif is a path within one square,
   relative to its top left corner, which continues in the next square; it has the width of its
   line, 0 if it is filled. A cloth is a hue (ground and figure) with a motif. Both follow from the
   number of the patch, so that 143 patches differ. */

// prettier-ignore
export const LOOKS = {
  "square": 20,
  "margin": 15,
  "cell": 24,
  "ring": { "side": 520, "radius": 206, "depth": 58, "track": 240, "most": 48 },
  "hues": [
    ["#4a8a8e", "#d8efeb"],
    ["#bd5443", "#f9d8c3"],
    ["#e3b34b", "#83540a"],
    ["#93b07c", "#3d582e"],
    ["#5474b1", "#d3dff6"],
    ["#965f8f", "#f1d6ec"],
    ["#f2e2c8", "#b4502f"],
    ["#cf7336", "#fff0dd"],
    ["#96c4de", "#2c638c"],
    ["#e29aab", "#8f324c"],
    ["#9a7d50", "#f2e3c2"]
  ],
  "motifs": [
    ["m4.5 5.5a1.9 1.9 0 1 0 3.8 0a1.9 1.9 0 1 0 -3.8 0zm9 9a1.9 1.9 0 1 0 3.8 0a1.9 1.9 0 1 0 -3.8 0z", 0],
    ["m5 0v20m10 -20v20", 2.4],
    ["m0 10l10 -10m-10 20l20 -20m-10 20l10 -10", 1.5],
    ["m0 5h20m-20 10h20m-15 -15v20m10 -20v20", 1.1],
    ["m0 6l5 -4l5 4l5 -4l5 4m-20 10l5 -4l5 4l5 -4l5 4", 1.5],
    ["m5 2v6m-3 -3h6m7 7v6m-3 -3h6", 1.6],
    ["m0 5h20m-20 10h20", 2.4],
    ["m10 3l7 7l-7 7l-7 -7z", 1.6],
    ["m0 10l10 10m-10 -20l20 20m-10 -20l10 10", 1.5],
    ["m0 5q5 -6 10 0t10 0m-20 10q5 -6 10 0t10 0", 1.5],
    ["m10 3.2l1.9 4.9l4.9 1.9l-4.9 1.9l-1.9 4.9l-1.9 -4.9l-4.9 -1.9l4.9 -1.9z", 0],
    ["m0 10h20m-15 -10v10m10 0v10", 1.3],
    ["m5 5h10v10h-10z", 1.6]
  ],
  "light": {
    "paper": "#fbfaf7", "ink": "#1c2024", "soft": "#545d66", "edge": "#4a3526", "thread": "#fffaf0",
    "board": "#f7f0e0", "grid": "#d9cdb4", "rim": "#c9b48c", "covered": "#b9b2a4",
    "leather": "#9a6233", "hide": "#5f3a1b", "button": "#1f63b0", "cream": "#fff8e6",
    "table": "#ece5d4", "offer": "#cfe0f3", "accent": "#1f5fa8",
    "track": "#dfe8d2", "turn": "#cfdcbc", "wall": "#6f8a57", "goal": "#f2d58a", "count": "#4c5a41",
    "gold": "#e9bd4e", "seam": "#5d3d06", "pawn": "#c99a5b", "bark": "#5f3a1b",
    "seats": ["#1f5fa8", "#b3520f"], "label": "#ffffff", "placed": "#1c2024", "halo": "#ffffff"
  },
  "dark": {
    "paper": "#15181b", "ink": "#e9e6df", "soft": "#a9adb2", "edge": "#14100c", "thread": "#fffaf0",
    "board": "#2a261f", "grid": "#5d5548", "rim": "#8a7e66", "covered": "#8b867c",
    "leather": "#a97445", "hide": "#2e1b0c", "button": "#2b72c4", "cream": "#fff8e6",
    "table": "#24282b", "offer": "#2d4460", "accent": "#7fb5f2",
    "track": "#323c31", "turn": "#3b4839", "wall": "#7f9c6c", "goal": "#574516", "count": "#b9c8ac",
    "gold": "#e0b74f", "seam": "#3d2a08", "pawn": "#d3a76c", "bark": "#2b1a0b",
    "seats": ["#7fb5f2", "#f0a065"], "label": "#15181b", "placed": "#ffffff", "halo": "#15181b"
  }
};
