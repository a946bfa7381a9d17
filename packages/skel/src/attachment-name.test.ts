import { attachmentName } from '@cni/skel'
import { expect, test } from 'vitest'

const c = { networkName: 'pods', containerID: 'a', ifName: 'eth0' }

test('the name is unique to an attachment and has the given length', () => {
  expect(attachmentName(c, 'bw', 15)).toMatch(/^bw[0-9a-f]{13}$/)
  expect(attachmentName(c, 'PM-', 28)).toHaveLength(28)
  const others = [{ networkName: 'podsa', containerID: '' }, { containerID: 'b' }, { ifName: 'eth1' }]
  const names = [c, ...others.map((other) => ({ ...c, ...other }))].map((each) => attachmentName(each, 'bw', 15))
  expect(new Set(names).size).toBe(4)
  expect(attachmentName({ ...c }, 'bw', 15)).toBe(names[0])
})

test('a prefix that leaves fewer than 8 characters is rejected', () => {
  expect(() => attachmentName(c, 'bandwidth-', 15)).toThrow(
    new TypeError(
      'attachmentName: 15 characters with the prefix "bandwidth-" leave 5 for the attachment, 8 are needed',
    ),
  )
})
