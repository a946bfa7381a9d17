export default function named() { return 1 }
export const extra = 'extra'
