const LONGEST = 80

/** What somebody typed, as it is shown in an error: on one line, nothing hidden, at most 80 characters. */
export function quote(text: string): string {
  const shown = JSON.stringify(text).replace(
    /[\u007f-\u00a0\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return shown.length <= LONGEST ? shown : `${shown.slice(0, LONGEST - 2)}…"`
}
