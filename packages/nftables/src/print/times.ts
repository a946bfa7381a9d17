const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const

/** Text of a duration as nft writes it: `1d2h3m4s500ms`. */
export function timeText(milliseconds: number): string {
  let rest = milliseconds
  let text = ''
  for (const [unit, length] of units) {
    const count = Math.floor(rest / length)
    rest -= count * length
    if (count > 0) text += `${count}${unit}`
  }
  return text === '' ? '0s' : text
}
