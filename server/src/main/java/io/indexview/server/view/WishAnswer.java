package io.indexview.server.view;

import io.indexview.schemas.control.ViewWish;

/**
 * The build that is wanted now.
 *
 * @param from what its rows are built from
 */
public record WishAnswer(String name, long version, long build, String from) {
  static WishAnswer of(ViewWish wish) {
    return new WishAnswer(
        wish.view(), wish.version(), wish.build().number(), wish.build().mode().text());
  }
}
