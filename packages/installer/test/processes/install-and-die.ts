import { installer } from '@cni/installer'
import { crashBefore } from '../crash-fs.ts'
import { fakeNode } from '../node.ts'

// argv: the folder of the node, the number of the call before which to die
const [root = '', n = ''] = process.argv.slice(2)
const { options } = fakeNode(null, root)
const die = (): never => {
  process.kill(process.pid, 'SIGKILL')
  throw new Error('unreachable')
}
await crashBefore(Number(n), () => installer(options).install(), die)
