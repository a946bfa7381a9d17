import { type CalledPod, cniEnv } from '../../../packages/istio-redirect/test/stage/cni-call.ts'

/** Environment and input of a plugin call, as a container runtime calls a chained plugin. */
export function runtimeCall(verb: string, pod: CalledPod, address: string, conf: object) {
  const prevResult = {
    cniVersion: '1.0.0',
    interfaces: [{ name: 'eth0', sandbox: pod.netns }],
    ips: [{ interface: 0, address }],
  }
  return {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...cniEnv(verb, pod) },
    stdin: JSON.stringify({ ...conf, cniVersion: '1.0.0', name: 'demo', prevResult }),
  }
}
