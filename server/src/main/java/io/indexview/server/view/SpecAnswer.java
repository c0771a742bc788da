package io.indexview.server.view;

import io.indexview.schemas.control.ViewSpec;

/**
 * The build that is wanted now.
 *
 * @param from what its rows are built from
 */
public record SpecAnswer(String name, long version, long build, String from) {
  static SpecAnswer of(ViewSpec spec) {
    return new SpecAnswer(
        spec.view(), spec.version(), spec.build().number(), spec.build().mode().text());
  }
}
