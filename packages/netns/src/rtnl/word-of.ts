/** The word for a number of the kernel, by a table of such words; `undefined` for one that has none. */
export function wordOf<Word extends string>(
  numbers: Readonly<Record<Word, number>>,
  wanted: number | undefined,
): Word | undefined {
  for (const word in numbers) if (numbers[word] === wanted) return word
  return undefined
}
