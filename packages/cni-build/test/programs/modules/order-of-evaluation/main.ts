console.log('main')
import './a.ts'
import { b } from './b.ts'
import './a.ts'
console.log('after', b)
