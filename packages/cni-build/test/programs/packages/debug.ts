import debug from 'debug'

debug.enable('app:*,-app:secret')
const lines: string[] = []
debug.log = (...args: unknown[]) => lines.push(args.map(String).join(' ').replace(/\+\d+ms|^\S+Z /g, ''))
const log = debug('app:main')
log('number %d, object %o, text %s', 1, { a: 1 }, 'x')
debug('app:secret')('never')
log.extend('sub')('extended')
console.log(lines.join('\n'), log.enabled, debug.enabled('app:secret'), debug.disable(), debug.coerce(1))
