// A click on a column's head sorts the table by it, a second one the other way round.
"use strict";
const key = (row, column) => {
  const text = row.cells[column].textContent.trim();
  const number = Number.parseFloat(text.replaceAll(",", "").replace("nan", "x"));
  return Number.isNaN(number) ? text : number;
};
const order = (a, b) =>
  typeof a === "number" && typeof b === "number" ? a - b
    : typeof a === "number" ? -1 : typeof b === "number" ? 1 : a.localeCompare(b);
for (const button of document.querySelectorAll("thead button")) {
  button.addEventListener("click", () => {
    const head = button.closest("th");
    const table = head.closest("table");
    const rising = head.getAttribute("aria-sort") !== "ascending";
    for (const other of table.querySelectorAll("th")) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", rising ? "ascending" : "descending");
    const rows = [...table.tBodies[0].rows];
    rows.sort((a, b) => (rising ? 1 : -1) * order(key(a, head.cellIndex), key(b, head.cellIndex)));
    table.tBodies[0].append(...rows);
  });
}
