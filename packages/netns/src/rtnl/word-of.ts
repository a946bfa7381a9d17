/** Word for a kernel number, from a table of words. `undefined` for an unknown number. */
export function wordOf<Word extends string>(
  numbers: Readonly<Record<Word, number>>,
  wanted: number | undefined,
): Word | undefined {
  for (const word in numbers) if (numbers[word] === wanted) return word
  return undefined
}
