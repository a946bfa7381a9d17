/** Looks up the name of a kernel constant, such as `bridge` for a macvlan mode. */
export function wordOf<Word extends string>(
  numbers: Readonly<Record<Word, number>>,
  wanted: number | undefined,
): Word | undefined {
  for (const word in numbers) if (numbers[word] === wanted) return word
  return undefined
}
