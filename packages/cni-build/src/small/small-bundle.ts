import type * as Esbuild from 'esbuild'

/** Program and platform in one bundle, before compilation. */
export interface SmallBundle {
  /** Text of the bundle: one ES module. */
  text: string
  /** Source map of the text. Sources are relative to the folder of `outfile`. */
  map: string
  metafile: Esbuild.Metafile
  warnings: readonly Esbuild.Message[]
}
