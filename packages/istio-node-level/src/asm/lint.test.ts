import { describe, expect, it } from 'vitest'
import { add, atomicAdd, type Block, call, exit, goto, jump, label, load, map, mov, store } from './instruction.ts'
import { checkProgram, program } from './program.ts'
import type { ProgramErrorCode } from './program-error.ts'

const maps = { counts: { keySize: 4, valueSize: 8 } }
const end: Block = [label('end'), mov('r0', 0), exit]
const keyAt: Block = [map('r1', 'counts'), mov('r2', 'r10'), add('r2', -4)]
const lookUp: Block = [store('u32', 'r10', -4, 0), keyAt, call('map_lookup')]
const found: Block = [lookUp, jump('r0', 'eq', 0, 'end')]
const tuple: Block = [
  [store('u64', 'r10', -16, 0), store('u32', 'r10', -8, 0)],
  [mov('r2', 'r10'), add('r2', -16), mov('r3', 12), mov('r4', -1), mov('r5', 0)],
]
const lookUpSocket: Block = [mov('r6', 'r1'), tuple, call('skc_lookup_tcp')]

const refused: readonly (readonly [string, ProgramErrorCode, RegExp, Block])[] = [
  [
    'a label is unreachable',
    'UNREACHABLE',
    /"r0 = 2" under fail: fail is never reached/,
    [[goto('end'), label('fail'), mov('r0', 2), exit], end],
  ],
  ['the program has no exit', 'RANGE', /does not end with "exit"/, [mov('r0', 0)]],
  ['a jump goes backward', 'BACKWARD', /goto top/, [label('top'), mov('r0', 0), jump('r0', 'ne', 0, 'top'), exit]],
  [
    'an argument is used after a call',
    'UNSET',
    /"r1 = \*\(u32 \*\)\(r1 \+ 8\)" under go_on: r1 is lost after a call/,
    [[found, label('go_on'), load('u32', 'r1', 'r1', 8)], end],
  ],
  [
    'a register is set on one path only',
    'UNSET',
    /r3 was never set on some path/,
    [[load('u32', 'r2', 'r1', 8), jump('r2', 'eq', 0, 'both'), mov('r3', 1), label('both'), mov('r2', 'r3')], end],
  ],
  ['r0 is not set at the end', 'UNSET', /r0 was never set/, [exit]],
  ['a key is not written', 'UNSET', /not all of the 4 bytes at r2 were written/, [keyAt, call('map_lookup'), end]],
  [
    'only half of a key is written',
    'UNSET',
    /not all of the 4 bytes/,
    [[store('u16', 'r10', -4, 0), keyAt, call('map_lookup')], end],
  ],
  [
    'the stack is read before it is written',
    'UNSET',
    /part of the stack was not written/,
    [load('u32', 'r1', 'r10', -4), end],
  ],
  ['an access is outside of the stack', 'RANGE', /outside of the stack/, [store('u32', 'r10', -516, 0), end]],
  ['an access to the stack is not aligned', 'RANGE', /not a multiple of 4/, [store('u32', 'r10', -6, 0), end]],
  ['the result of a lookup is not tested', 'UNTESTED', /r0 may be null/, [lookUp, load('u64', 'r1', 'r0', 0), end]],
  [
    'a copy of the result is not tested',
    'UNTESTED',
    /r7 may be null/,
    [lookUp, mov('r7', 'r0'), load('u64', 'r1', 'r7', 0), end],
  ],
  [
    'a value is read beyond its end',
    'RANGE',
    /values of map counts have 8 bytes/,
    [found, load('u32', 'r1', 'r0', 8), end],
  ],
  ['a value is written beyond its end', 'RANGE', /have 8 bytes/, [found, mov('r1', 1), atomicAdd('r0', 8, 'r1'), end]],
  [
    'a socket is not released',
    'SOCKET',
    /"call skc_lookup_tcp": its socket is not released on the path that ends under end/,
    [[lookUpSocket, jump('r0', 'eq', 0, 'end')], end],
  ],
  [
    'a socket is released on one path only',
    'SOCKET',
    /its socket is not released/,
    [
      [lookUpSocket, mov('r7', 'r0'), jump('r7', 'eq', 0, 'end'), load('u32', 'r1', 'r7', 72)],
      [jump('r1', 'eq', 10, 'end'), mov('r1', 'r7'), call('sk_release')],
      end,
    ],
  ],
  [
    'an untested socket is released',
    'UNTESTED',
    /r1 may be null/,
    [[lookUpSocket, mov('r1', 'r0'), call('sk_release')], end],
  ],
  [
    'a released socket is used',
    'UNSET',
    /r7 is lost after a call/,
    [
      [lookUpSocket, mov('r7', 'r0'), jump('r7', 'eq', 0, 'end'), mov('r1', 'r7'), call('sk_release')],
      [load('u32', 'r1', 'r7', 72)],
      end,
    ],
  ],
  ['a number is stored into the context', 'TYPE', /kernels before 6.2/, [store('u32', 'r1', 8, 1), end]],
  [
    'a read-only field of the context is written',
    'RANGE',
    /write the context at offset 16/,
    [[mov('r2', 1), store('u32', 'r1', 16, 'r2')], end],
  ],
  [
    'an argument of a call has the wrong type',
    'TYPE',
    /r1 is number, not socket/,
    [mov('r1', 0), call('sk_release'), end],
  ],
  [
    'the result of a lookup is compared with a number',
    'TYPE',
    /only be compared with 0/,
    [lookUp, jump('r0', 'eq', 1, 'end'), end],
  ],
  ['a map is not declared', 'MAP', /map others is not open/, [map('r1', 'others'), end]],
]

describe('checkProgram', () => {
  it.each(refused)('rejects a program if %s', (_, code, message, body) => {
    const text = program({ name: 'example', maps, body })
    expect(() => checkProgram(text)).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }))
  })

  it('rejects a program that declares an unused map', () => {
    expect(() => checkProgram(program({ name: 'example', maps, body: end }))).toThrow(
      'Program example declares map counts, but does not use it',
    )
  })

  it('accepts a program that tests and releases its sockets on every path', () => {
    const body: Block = [
      [lookUpSocket, mov('r7', 'r0'), jump('r7', 'eq', 0, 'end')],
      [load('u32', 'r8', 'r7', 72), mov('r1', 'r7'), call('sk_release'), found, load('u64', 'r1', 'r0', 0)],
      end,
    ]
    expect(() => checkProgram(program({ name: 'example', maps, body }))).not.toThrow()
  })
})
