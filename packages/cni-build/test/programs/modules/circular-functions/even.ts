import { isOdd } from './odd.ts'
console.log('even', typeof isOdd)
export function isEven(n: number): boolean { return n === 0 || isOdd(n - 1) }
