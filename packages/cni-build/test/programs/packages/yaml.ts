import { Document, isMap, parse, parseAllDocuments, stringify, visit, YAMLParseError } from 'yaml'

const text = 'a: &x [1, two, !!str 3]\nb: *x\nc: |\n  block\n  text\n__proto__: own\n? [k]\n: v\n'
console.log(JSON.stringify(parse(text)), stringify({ list: [1, { a: null }], text: 'a: b', date: new Date(0), long: 'x '.repeat(50) }))
try { parse('a: [1') } catch (error) { console.log((error as Error).name, error instanceof YAMLParseError, (error as Error).message) }
const doc = new Document({ a: { b: 1 } })
visit(doc, { Scalar: (_, node) => { node.comment = 'seen' } })
console.log(String(doc), isMap(doc.contents), parseAllDocuments('---\na\n---\nb').length, doc.constructor.name)
