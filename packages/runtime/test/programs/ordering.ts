import { EventEmitter, on, once } from 'node:events'
import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises'
import { show, showAsync, text } from './show.ts'

const log = (line: string): void => void process.stdout.write(`${line}\n`)

export default async function main(): Promise<void> {
  await order()
  await timers()
  await aborting()
  await emitters()
  process.on('exit', (code) => log(`exit ${code}`))
  process.on('beforeExit', () => log('beforeExit'))
  process.exitCode = 7
}

async function order(): Promise<void> {
  await immediate()
  setImmediate(() => {
    log('immediate 1')
    process.nextTick(() => log('tick of immediate 1'))
    Promise.resolve().then(() => log('microtask of immediate 1'))
  })
  setImmediate(() => log('immediate 2'))
  process.nextTick(() => {
    log('tick 1')
    process.nextTick(() => log('tick of tick'))
    Promise.resolve().then(() => log('microtask of tick'))
  })
  queueMicrotask(() => log('microtask'))
  process.nextTick((a: number, b: number) => log(`tick 2 ${a} ${b}`), 1, 2)
  await delay(5)
  for (const ms of [9, 3, 6, 3]) setTimeout((name: string) => log(`timer ${name}`), ms, String(ms))
  await delay(30)
}

async function timers(): Promise<void> {
  const cleared = setTimeout(() => log('cleared'), 1)
  clearTimeout(cleared)
  let count = 0
  await new Promise<void>((resolve) => {
    const interval = setInterval(() => {
      log(`interval ${++count}`)
      if (count === 3) {
        clearInterval(interval)
        resolve()
      }
    }, 2)
  })
  const timer = setTimeout(() => log('never'), 100_000)
  show('ref', () => [timer.hasRef(), timer.unref().hasRef(), timer.ref().hasRef(), typeof Number(timer)])
  clearTimeout(Number(timer))
  const skipped = setImmediate(() => log('skipped'))
  clearImmediate(skipped)
  show('no callback', () => setTimeout('x' as never))
  await showAsync('delay value', () => delay(1, 'v'))
  setTimeout(() => log('unref'), 50_000).unref()
}

async function aborting(): Promise<void> {
  const controller = new AbortController()
  const any = AbortSignal.any([controller.signal, AbortSignal.timeout(60_000)])
  any.addEventListener('abort', () => log(`any ${any.reason}`), { once: true })
  controller.signal.addEventListener('abort', (event) => log(`abort ${event.type} ${any.aborted}`))
  controller.signal.onabort = () => log('onabort')
  controller.abort('why')
  controller.abort('again')
  show('reason', () => [controller.signal.aborted, controller.signal.reason])
  show('throwIfAborted', () => controller.signal.throwIfAborted())
  show('abort', () => [
    AbortSignal.abort().reason.name,
    AbortSignal.abort().reason.message,
    AbortSignal.abort().reason.code,
  ])
  await showAsync('timeout', async () => {
    const signal = AbortSignal.timeout(5)
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve)
      setTimeout(() => {}, 1000).unref()
      setTimeout(() => {}, 30)
    })
    return [signal.reason.name, signal.reason.message, signal.reason.code]
  })
  await showAsync('delay aborted', () => delay(1000, undefined, { signal: AbortSignal.abort('x') }))
  await showAsync('delay aborted later', async () => {
    const later = new AbortController()
    setTimeout(() => later.abort(), 2)
    await delay(1000, undefined, { signal: later.signal })
  })
  const target = new EventTarget()
  const stop = new AbortController()
  target.addEventListener('x', () => log('first'), { once: true })
  target.addEventListener('x', { handleEvent: (event) => log(`object ${event.type}`) }, { signal: stop.signal })
  target.dispatchEvent(new Event('x'))
  target.dispatchEvent(new Event('x'))
  stop.abort()
  target.dispatchEvent(new Event('x'))
  show('cancel', () => {
    target.addEventListener('y', (event) => event.preventDefault())
    return [target.dispatchEvent(new Event('y', { cancelable: true })), target.dispatchEvent(new Event('y'))]
  })
}

async function emitters(): Promise<void> {
  const emitter = new EventEmitter()
  emitter.on('newListener', (name) => log(`new ${String(name)}`))
  emitter.once('a', (...args) => log(`once ${text(args)}`))
  emitter.prependListener('a', () => log('first'))
  show('emit', () => [
    emitter.emit('a', 1, 2),
    emitter.emit('a'),
    emitter.emit('b'),
    emitter.listenerCount('a'),
    emitter.eventNames(),
  ])
  show('error', () => emitter.emit('error', new Error('boom')))
  show('error text', () => emitter.emit('error', 'boom'))
  show('listener', () => emitter.on('a', 5 as never))
  setTimeout(() => emitter.emit('later', 'v', 2), 1)
  await showAsync('once', () => once(emitter, 'later'))
  setTimeout(() => emitter.emit('error', new TypeError('bad')), 1)
  await showAsync('once error', () => once(emitter, 'later'))
  await showAsync('on', async () => {
    const seen: unknown[] = []
    setTimeout(() => {
      emitter.emit('item', 1)
      emitter.emit('item', 2)
    }, 1)
    for await (const [item] of on(emitter, 'item')) {
      seen.push(item)
      if (seen.length === 2) break
    }
    return [seen, emitter.listenerCount('item')]
  })
}
