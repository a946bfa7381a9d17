import { EventEmitter, fs, joined, path, readFileSync } from './all.ts'
import * as all from './all.ts'
console.log(new EventEmitter().constructor.name, fs.readFileSync === readFileSync, typeof path.default, joined('a', 'b'), typeof all.sep, Object.keys(all).includes('basename'))
console.log((all as { missing?: unknown }).missing, 'join' in all)
