import { StringDecoder } from 'node:string_decoder'
import { show } from './show.ts'

const TEXTS = ['', 'abc', 'hé', '€uro', '😀', '\ud800x', 'a\0b', '\ufeffbom']
const ENCODINGS = [
  'utf8',
  'utf-8',
  'UTF8',
  'latin1',
  'binary',
  'ascii',
  'hex',
  'base64',
  'base64url',
  'utf16le',
  'ucs2',
] as const

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

export default function main(): void {
  for (const one of TEXTS) {
    for (const encoding of ENCODINGS) {
      const name = encoding as BufferEncoding
      show(`from ${JSON.stringify(one)} ${encoding}`, () => hex(Buffer.from(one, name)))
      show(`to ${JSON.stringify(one)} ${encoding}`, () => Buffer.from(one).toString(name))
      show(`length ${JSON.stringify(one)} ${encoding}`, () => Buffer.byteLength(one, name))
    }
  }
  for (const one of ['616', '61zz62', 'zz', 'YWJj', 'YWJ', 'YQ==', 'YQ', '_-8', '+/8=', ' Y W J j', 'Y=Wj']) {
    show(`hex ${one}`, () => Buffer.from(one, 'hex').toString('latin1'))
    show(`base64 ${one}`, () => hex(Buffer.from(one, 'base64')))
  }
  show('unknown encoding', () => Buffer.from('x', 'nope' as BufferEncoding))
  show('from number', () => Buffer.from(5 as never))
  show('from null', () => Buffer.from(null as never))
  show('from object', () => Buffer.from({} as never))
  show('alloc text', () => Buffer.alloc('5' as never))
  show('alloc -1', () => Buffer.alloc(-1))
  show('json', () => Buffer.from([1, 2, 300]))
  show('back from json', () => hex(Buffer.from(JSON.parse(JSON.stringify(Buffer.from('hi'))))))
  show('fill', () => hex(Buffer.alloc(7).fill('ab')))
  show('fill part', () => hex(Buffer.alloc(7).fill(255, 2, 4)))
  show('alloc fill', () => hex(Buffer.alloc(5, 'xyz')))
  show('concat', () => hex(Buffer.concat([Buffer.from('ab'), new Uint8Array([1, 2])])))
  show('concat short', () => hex(Buffer.concat([Buffer.from('abcd'), Buffer.from('ef')], 5)))
  show('concat long', () => hex(Buffer.concat([Buffer.from('ab')], 4)))
  show('slice shares', () => {
    const whole = Buffer.from('abcdef')
    whole.slice(1, 3)[0] = 0x7a
    whole.subarray(-2)[1] = 0x79
    return whole.toString()
  })
  show('compare', () => [
    Buffer.compare(Buffer.from('a'), Buffer.from('b')),
    Buffer.from('ab').compare(Buffer.from('a')),
  ])
  show('equals', () => Buffer.from('ab').equals(new Uint8Array([97, 98])))
  show('indexOf', () => {
    const whole = Buffer.from('abcabcé')
    return [
      whole.indexOf('c'),
      whole.indexOf('c', 3),
      whole.indexOf('c', -4),
      whole.indexOf(98),
      whole.indexOf(Buffer.from('bc'), 2),
      whole.indexOf('é'),
      whole.indexOf(''),
      whole.indexOf('zz'),
      whole.lastIndexOf('b'),
      whole.lastIndexOf('b', 3),
      whole.includes('ca'),
    ]
  })
  show('copy', () => {
    const target = Buffer.alloc(4)
    return [Buffer.from('abcdef').copy(target, 1, 2), target.toString('latin1')]
  })
  show('write', () => {
    const target = Buffer.alloc(6)
    return [target.write('é€'), target.write('zz', 5), target.write('6162', 3, 'hex'), hex(target)]
  })
  show('swap', () => [
    hex(Buffer.from('0102030405060708', 'hex').swap16()),
    hex(Buffer.from('01020304', 'hex').swap32()),
  ])
  show('swap odd', () => Buffer.from('abc').swap16())
  numbers()
  for (const parts of [['e2', '82', 'ac'], ['f0', '9f98', '80'], ['e2', '41'], ['c3'], ['ed', 'a0', '80']]) {
    show(`decoder ${parts}`, () => {
      const decoder = new StringDecoder('utf8')
      return [...parts.map((part) => decoder.write(Buffer.from(part, 'hex'))), decoder.end()]
    })
  }
}

function numbers(): void {
  const source = Buffer.from('8182838485868788', 'hex')
  const reads = [
    'UInt8',
    'Int8',
    'UInt16LE',
    'UInt16BE',
    'Int16LE',
    'Int16BE',
    'UInt32LE',
    'UInt32BE',
    'Int32LE',
    'Int32BE',
    'BigUInt64LE',
    'BigInt64BE',
    'FloatLE',
    'DoubleBE',
  ] as const
  for (const name of reads) {
    show(`read${name}`, () => source[`read${name}`]())
    show(`read${name} at 7`, () => source[`read${name}`](7))
    show(`read${name} at -1`, () => source[`read${name}`](-1))
  }
  show('readUIntBE', () => [
    source.readUIntBE(0, 6),
    source.readUIntLE(1, 3),
    source.readIntBE(0, 6),
    source.readIntLE(2, 5),
  ])
  show('read at 1.5', () => source.readUInt8(1.5))
  show('read at text', () => source.readUInt8('1' as never))
  const target = Buffer.alloc(8)
  show('write', () => [
    target.writeUInt8(255),
    target.writeInt16BE(-2, 1),
    target.writeUInt32LE(0xdeadbeef, 3),
    hex(target),
  ])
  show('writeBig', () => [
    target.writeBigUInt64LE(2n ** 64n - 1n),
    hex(target),
    target.writeBigInt64BE(-2n),
    hex(target),
  ])
  show('writeUIntBE', () => [target.writeUIntBE(0x123456789a, 0, 5), hex(target)])
  show('write 256', () => target.writeUInt8(256))
  show('write -1', () => target.writeUInt32BE(-1))
  show('write beyond', () => target.writeUInt32BE(1, 6))
  show('empty', () => Buffer.alloc(0).readUInt8())
}
