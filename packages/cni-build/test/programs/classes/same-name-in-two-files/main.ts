import { Parser as Other, parse as otherParse } from './other.ts'

class Parser { static create = () => new this() }
function parse() { return parse.name }
console.log(Parser.name, Other.name, Parser.create().constructor.name, new Other().constructor.name)
console.log(parse(), otherParse(), parse.name === otherParse.name)
try { new Other().fail() } catch (error) { console.log((error as Error).name, (error as Error).constructor.name) }
