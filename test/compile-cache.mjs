// Caches compiled code between processes. Loaded by --import, because a variable would also affect programs under test.
import { enableCompileCache } from 'node:module'

enableCompileCache(`${import.meta.dirname}/../node_modules/.cache/node`)
