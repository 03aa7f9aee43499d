/**
 * Puts a list below the line of an offset in a text, or above it where the window ends before the
 * list does. Both are in one box, and the text begins at its upper end.
 */
export function placeList(list: HTMLElement, area: HTMLTextAreaElement, offset: number): void {
  const style = getComputedStyle(area);
  const height = Number.parseFloat(style.lineHeight);
  const lines = area.value.slice(0, offset).split('\n').length - 1;
  const inArea = Number.parseFloat(style.paddingTop) + lines * height - area.scrollTop;
  // A line that is scrolled away has its list at the end where it went.
  const above = area.clientTop + Math.min(Math.max(inArea, 0), area.clientHeight - height);
  const { top } = area.getBoundingClientRect();
  const isLow = top + above + height + list.offsetHeight > innerHeight;
  const isRoomAbove = top + above > list.offsetHeight;
  list.style.top = `${isLow && isRoomAbove ? above - list.offsetHeight : above + height}px`;
}
