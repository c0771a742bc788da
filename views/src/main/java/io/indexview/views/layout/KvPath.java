package io.indexview.views.layout;

import java.util.List;

/** A key of the KV store; components are plain text, the store escapes them. */
public record KvPath(List<String> major, List<String> minor) {
  public KvPath {
    major = List.copyOf(major);
    minor = List.copyOf(minor);
  }
}
