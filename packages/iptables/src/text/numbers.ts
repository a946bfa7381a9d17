/** A mark as it is written: decimal, the mask in hexadecimal. */
export const markText = (value: number, mask?: number): string =>
  mask === undefined ? String(value) : `${value}/${hex(mask)}`

/** A number in hexadecimal. */
export const hex = (value: number): string => `0x${value.toString(16)}`
