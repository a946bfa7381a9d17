console.log('b')
export const b = ((globalThis as { order?: string }).order += ' b')
