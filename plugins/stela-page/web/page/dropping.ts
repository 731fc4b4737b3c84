/** A file dropped anywhere on the page is taken: a browser would leave the page for it. */
export function onDrop(area: HTMLElement, take: (file: File) => void): void {
  const over = (on: boolean) => document.body.classList.toggle("dropping", on);
  addEventListener("dragover", (event) => {
    event.preventDefault();
    over(event.dataTransfer?.types.includes("Files") ?? false);
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) over(false);
  });
  addEventListener("drop", (event) => {
    over(false);
    const dropped = event.dataTransfer?.files[0];
    if (dropped === undefined && event.target === area) return; // text that is dragged
    event.preventDefault();
    if (dropped !== undefined) take(dropped);
  });
}
