// The page of a conversation with a flow, which each turn replaces.
"use strict";

(() => {
  // What screen readers announce. It is outside of the conversation, because one that is replaced is not announced.
  const announced = document.createElement("p");
  announced.className = "visually-hidden";
  announced.setAttribute("role", "status");
  document.body.append(announced);

  function begin() {
    // The next answer is typed without a click, unless somebody types elsewhere meanwhile.
    if (document.activeElement.matches("input, textarea")) document.getElementById("say")?.removeAttribute("autofocus");
    const talk = document.querySelector(".talk");
    if (talk) talk.scrollTop = talk.scrollHeight;
    const bubbles = [...document.querySelectorAll(".talk .bubble")];
    const latest = bubbles.slice(bubbles.findLastIndex((bubble) => bubble.matches(".caller")) + 1);
    announced.textContent = latest.map((bubble) => bubble.textContent).join(" ");
  }

  document.addEventListener("htmx:afterSwap", begin);
  begin();
})();
