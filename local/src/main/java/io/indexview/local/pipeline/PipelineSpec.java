package io.indexview.local.pipeline;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What a pipeline carries.
 *
 * @param recordSets in the KV store
 * @param fileKeys how user and file are read out of the object keys of the stack's bucket: groups
 *     {@code uploadUser} and {@code fileId}
 * @param viewsDir the view definitions, one file each
 */
public record PipelineSpec(List<RecordSetSpec> recordSets, Pattern fileKeys, Path viewsDir) {
  /** The record set of the bucket's files, as in the views' {@code source}. */
  public static final String FILES = "files";

  public PipelineSpec {
    recordSets = List.copyOf(recordSets);
  }
}
