import { isEven } from './even.ts'
console.log('odd', typeof isEven)
export function isOdd(n: number): boolean { return n !== 0 && isEven(n - 1) }
