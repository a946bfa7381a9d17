import {
  clearImmediate,
  clearInterval,
  clearTimeout,
  setImmediate,
  setInterval,
  setTimeout,
} from '../../globals/timers.ts'

export { clearImmediate, clearInterval, clearTimeout, setImmediate, setInterval, setTimeout }

export default { clearImmediate, clearInterval, clearTimeout, setImmediate, setInterval, setTimeout }
