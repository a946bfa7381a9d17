import * as all from './all.ts'
import { own, twice } from './all.ts'
console.log(Object.keys(all).join(), own, twice, 'default' in all, (all as { both?: unknown }).both)
console.log('a' in all, Reflect.get(all, 'missing'), typeof all.nested.a)
