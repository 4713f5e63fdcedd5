/* The link to the content moves the focus and nothing else: addresses of pages say what they show. */
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  const main = document.getElementById("main");
  main.focus({ preventScroll: true });
  main.scrollIntoView();
});
