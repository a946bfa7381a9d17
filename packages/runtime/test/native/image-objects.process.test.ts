import { describe, expect, it } from 'vitest'
import { built, run } from './programs.ts'

// The engine does not count references to objects in the image: their counts are meaningless.
describe.skipIf(!built)('an object in the image', () => {
  it('survives the last variable that refers to it', () => {
    const { stdout } =
      run(`let list = [{ text: 'of the image' }, 'a' + host.arch, () => 'called', Symbol('kept'), 2n ** 70n]
host.main = () => {
  const [object, text, call, symbol, big] = list
  list = undefined
  for (let i = 0; i < 1000; i++) {
    const copies = [object, text, call, symbol, big]
    copies.length = 0
  }
  print([object.text, text, call(), String(symbol), big].join())
}`)
    expect(stdout).toBe('of the image,ax64,called,Symbol(kept),1180591620717411303424\n')
  })

  it('is unchanged when a program uses a copy of it', () => {
    const { stdout } = run(`const text = ['image', host.arch].join('-')
const shape = { a: 1 }
const twin = { a: 2 }
const values = [1, 2, 3]
host.main = () => {
  let longer = text
  longer += '-and more'
  shape.b = 3
  delete twin.a
  const more = [...values]
  more.push(4)
  print([text, longer, JSON.stringify(shape), JSON.stringify(twin), JSON.stringify({ a: 5 }), values, more].join(' '))
}`)
    expect(stdout).toBe('image-x64 image-x64-and more {"a":1,"b":3} {} {"a":5} 1,2,3 1,2,3,4\n')
  })

  it('keeps references to and from later objects through garbage collections', () => {
    const { stdout } = run(`const keeper = { kept: undefined, map: new Map(), weak: new WeakMap() }
const counter = (() => {
  let value
  return { set: (one) => { value = one }, get: () => value }
})()
host.main = () => {
  keeper.kept = { name: 'kept', back: keeper }
  keeper.kept.self = keeper.kept
  counter.set({ name: 'closed over' })
  keeper.map.set('one', { name: 'in a map' })
  keeper.weak.set(keeper, { name: 'behind a key of the image' })
  const gone = new WeakRef({ name: 'gone' })
  let rings = 0
  // 64 MB of rings that only the collector frees, several times over.
  for (let i = 0; i < 60; i++) {
    for (let j = 0; j < 20000; j++) {
      const ring = { keeper, list: [counter.get] }
      ring.ring = ring
      rings++
    }
  }
  print([rings, keeper.kept.self.back.kept.name, counter.get().name, keeper.map.get('one').name, keeper.weak.get(keeper).name, gone.deref()].join())
}`)
    expect(stdout).toBe('1200000,kept,closed over,in a map,behind a key of the image,\n')
  })
})
