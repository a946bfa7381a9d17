/** Looks up the name of a kernel constant, such as `bridge` for a macvlan mode. */
export function constantName<Name extends string>(
  numbers: Readonly<Record<Name, number>>,
  wanted: number | undefined,
): Name | undefined {
  for (const name in numbers) if (numbers[name] === wanted) return name
  return undefined
}
