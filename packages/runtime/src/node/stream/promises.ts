import { promises } from '../../stream/finished.ts'

export const { finished, pipeline } = promises

export default { finished, pipeline }
