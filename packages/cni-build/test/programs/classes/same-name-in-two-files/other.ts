class ParseError extends Error { override name = new.target.name }
export class Parser { fail() { throw new ParseError('no') } }
export function parse() { return parse.name }
