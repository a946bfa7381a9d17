import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { podCgroup } from './pod-cgroup.ts'

const uid = '2c48913c-b29f-11e7-9350-020968147796'
const id = '9bca8d63d5fa610783847915bcff0ecac1273e5b4bed3f6fa1b07350e0135961'
const other = '55efbedd-5af0-4fb0-b896-61604f0b0b53'
const of = (containerId = id) => ({ uid, containerId })

describe('the control groups of a process', () => {
  test.each<[string, string, unknown]>([
    ['show its pod, in one hierarchy', `0::/kubepods/besteffort/pod${uid}/${id}\n`, of()],
    [
      'show its pod, in several hierarchies',
      `11:hugetlb:/kubepods/burstable/pod${uid}/${id}\n10:devices:/kubepods/burstable/pod${uid}/${id}\n`,
      of(),
    ],
    [
      'show its pod beside hierarchies without a pod',
      `9:name=systemd:/\n4:memory:/x/eb6019076583a51ee2aadf0c0d48aeb7\n0::/kubepods/pod${uid}/${id}`,
      of(),
    ],
    [
      "show its pod in systemd's notation",
      `0::/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod${uid.replaceAll('-', '_')}.slice/cri-containerd-${id}.scope\n`,
      of(),
    ],
    [
      'show its pod below a service',
      `1:name=systemd:/system.slice/containerd.service/kubepods-burstable-pod${uid.replaceAll('-', '_')}.slice:cri-containerd:${id}`,
      of(),
    ],
    ['show its pod from another cgroup namespace', `0::/../../pod${uid}/${id}`, of()],
    ['show its pod below the container', `0::/kubepods/pod${uid}/${id}/init.scope`, of('init')],
    [
      'show its pod under CRI-O',
      `0::/kubepods.slice/kubepods-pod${uid.replaceAll('-', '_')}.slice/crio-${id}.scope`,
      of(),
    ],
    ['show its pod in capitals', `0::/kubepods/pod${uid.toUpperCase()}/${id}`, of()],
    ['show only the container', `0::/../crio-${id}.scope`, { uid: '', containerId: id }],
    [
      'show the container in one hierarchy and the pod in another',
      `2:a:/../crio-${id}\n1:b:/kubepods/pod${uid}/${id}`,
      of(),
    ],
    [
      "show a static pod's own UID, which is unknown to the API server",
      `0::/kubepods/pod${uid.replaceAll('-', '')}/${id}`,
      { uid: uid.replaceAll('-', ''), containerId: id },
    ],
    ['show no pod for a process of the node', '0::/system.slice/kubelet.service\n', undefined],
    ['show no pod if the file is empty', '', undefined],
    ['show no pod if the hierarchies name different containers', `2:a:/pod${uid}/${id}\n1:b:/pod${uid}/x`, undefined],
    ['show no pod if the hierarchies name different pods', `2:a:/pod${uid}/${id}\n1:b:/pod${other}/${id}`, undefined],
    ['show no pod without a container', `0::/kubepods/pod${uid}`, undefined],
    ['show no pod for a name that only ends like a pod', `0::/notapod${uid}/${id}`, undefined],
    ['show no pod for a UID that is too short', `0::/kubepods/pod${uid.slice(1)}/${id}`, undefined],
    ['show no pod in an unknown format', `kubepods/pod${uid}/${id}`, undefined],
  ])('%s', (_, text, expected) => {
    expect(podCgroup(text)).toEqual(expected)
  })

  test('are parsed without an error or a long delay, whatever the text', () => {
    fc.assert(fc.property(fc.string(), (text) => void podCgroup(text)))
    const many = `0::/${'a-'.repeat(50_000)}pod${uid}`
    const began = performance.now()
    expect(podCgroup(many)).toBeUndefined()
    expect(performance.now() - began).toBeLessThan(1000)
  })
})
