import Anonymous from './anonymous.ts'
import named, { extra } from './named.ts'
import { default as again } from './named.ts'
import arrow from './arrow.ts'
import value from './value.ts'
console.log(Anonymous.name, named.name, named === again, extra, arrow.name, value)
