import { VERSION } from '@cni/host/cli'
import { definePlugin } from '@cni/skel'
import { confSchema } from '../conf/conf.ts'
import { ISTIO_VERSION } from '../istio-version.ts'
import { withFailureCode } from '../namespace/failure-code.ts'
import { add } from './add.ts'
import { check } from './check.ts'
import { del } from './del.ts'
import { gc } from './gc.ts'
import { logOf } from './log-of-call.ts'
import { status } from './status.ts'

/**
 * CNI plugin `istio-cni`: redirects the traffic of a pod to its proxy. Works at the end of any plugin chain, and alone.
 */
export const plugin = definePlugin({
  name: 'istio-cni',
  about: 'CNI plugin istio-cni',
  release: `${VERSION}, for Istio ${ISTIO_VERSION}`,
  config: confSchema,
  log: ({ conf }) => (conf === undefined ? {} : logOf(conf)),
  add: (c) => coded(() => add(c)),
  check: (c) => coded(() => check(c)),
  del: (c) => del(c),
  gc: (c) => coded(() => gc(c)),
  status: (c) => coded(() => status(c)),
})

async function coded<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw withFailureCode(error)
  }
}
