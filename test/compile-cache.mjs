// Caches compiled code between processes. Node loads this file by --import. An environment variable would also affect
// programs under test.
import { enableCompileCache } from 'node:module'

enableCompileCache(`${import.meta.dirname}/../node_modules/.cache/node`)
