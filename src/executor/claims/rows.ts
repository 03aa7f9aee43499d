/** The only row of a statement that always answers one. @throws Error if it answers nothing */
export async function firstRow<Row>(rows: Promise<Row[]>): Promise<Row> {
  const [row] = await rows;
  if (row === undefined) throw new Error('the database answered nothing');
  return row;
}
