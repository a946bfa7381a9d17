import { installer } from '@cni/installer'
import { crashBefore } from '../crash-fs.ts'
import { fakeNode } from '../node.ts'

// Test process that dies before its n-th change of the file system.
const [root = '', n = ''] = process.argv.slice(2)
const { options } = fakeNode(null, root)
const die = (): never => {
  process.kill(process.pid, 'SIGKILL')
  throw new Error('unreachable')
}
await crashBefore(Number(n), () => installer(options).install(), die)
