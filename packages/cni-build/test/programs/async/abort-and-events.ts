import { EventEmitter, once } from 'node:events'

class Bus extends EventEmitter<{ said: [string] }> {}
const bus = new Bus()
bus.once('said', (text) => console.log('once', text))
bus.on('said', function (this: Bus) { console.log(this === bus, this.constructor.name) })
bus.prependListener('said', () => console.log('first'))
console.log(bus.emit('said', 'hi'), bus.emit('said', 'again'), bus.listenerCount('said'), bus.eventNames().join())
const stop = new AbortController()
once(bus, 'said', { signal: stop.signal }).catch((error) => console.log(error.name, error.code))
stop.abort()
const target = new EventTarget()
target.addEventListener('x', (event) => console.log(event.type, event instanceof Event))
target.dispatchEvent(new Event('x'))
