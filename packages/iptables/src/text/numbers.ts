/** Prints a packet mark in decimal, with its mask in hexadecimal. */
export const markText = (value: number, mask?: number): string =>
  mask === undefined ? String(value) : `${value}/${hex(mask)}`

/** Prints a number in hexadecimal. */
export const hex = (value: number): string => `0x${value.toString(16)}`
