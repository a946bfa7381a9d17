import { isKubeError, KubeError } from '@cni/kube'
import { expect, test } from 'vitest'
import { CriError, isCriError } from '../../installer/src/cri/cri-error.ts'
import { isRedirectError, RedirectError } from '../../istio-rules/src/pod/redirect-error.ts'
import { isZdsError, ZdsError } from './agent/ambient/zds/zds-error.ts'
import { ConfigError, isConfigError } from './agent/config/config-error.ts'
import { DiscoveryError, isDiscoveryError } from './agent/proc/discovery-error.ts'

const source = { kind: 'annotation', key: 'a', value: 'b', owner: 'pod demo/web' } as const
const guards: readonly (readonly [name: string, is: (error: unknown) => boolean, error: Error])[] = [
  ['ConfigError', isConfigError, new ConfigError('--log_level: expected a level')],
  ['CriError', isCriError, new CriError('it does not exist')],
  ['DiscoveryError', isDiscoveryError, new DiscoveryError('pod shop/web-0: /run/netns/a is the node itself')],
  ['KubeError', isKubeError, new KubeError('NETWORK', 'GET https://10.0.0.1: nobody listens there')],
  ['ZdsError', isZdsError, new ZdsError('NO_ZTUNNEL', 'no ztunnel connected')],
  ['RedirectError', isRedirectError, new RedirectError(source, 'expected a port')],
]

test.each(guards)(
  'the guard accepts a %s, also from another copy of the package, and no other error',
  (name, is, error) => {
    expect(is(error)).toBe(true)
    expect(error.name).toBe(name)
    expect(is(Object.assign(new Error('of another copy'), { [Symbol.for(`cni.${name}`)]: true }))).toBe(true)
    expect(is(Object.assign(new Error('a namesake'), { name }))).toBe(false)
    expect(is({ [Symbol.for(`cni.${name}`)]: true })).toBe(false)
    expect(guards.filter(([, other]) => other(error)).map(([each]) => each)).toEqual([name])
  },
)
