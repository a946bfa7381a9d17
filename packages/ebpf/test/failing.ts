import { expect } from 'vitest'

/** What an `EbpfError` of this code is, whose message has these parts one after the other. */
export const failing = (code: string, ...parts: string[]) =>
  expect.objectContaining({
    name: 'EbpfError',
    code,
    message: expect.stringMatching(
      new RegExp(parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^]*')),
    ),
  })
