/**
 * Waits a limited time for stopped work to end. Reason: the kernel may block the work for ever, for example on a dead
 * disk.
 */
export async function endWithin(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
