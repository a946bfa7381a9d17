import { a } from './a.ts'
import { fromA, fromB } from './b.ts'
console.log(a(), fromA(), fromB())
