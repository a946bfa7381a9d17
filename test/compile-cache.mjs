// Keeps compiled code between processes, by --import: a variable of the environment would reach the programs under test.
import { enableCompileCache } from 'node:module'

enableCompileCache(`${import.meta.dirname}/../node_modules/.cache/node`)
