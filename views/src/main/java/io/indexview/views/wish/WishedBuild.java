package io.indexview.views.wish;

import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.BuildRequest;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewWish;
import java.util.Collection;
import java.util.stream.LongStream;

/** Which build of a definition is to be wished for. */
public final class WishedBuild {
  private WishedBuild() {}

  /**
   * The build of a definition that differs from the present one: one that stands already, if its
   * rows are of this definition and stay, or else one that no generation of this definition had.
   *
   * @param present the wish that stands; null: there is none
   * @param staying the view's generations that are not on their way out, the one to be preferred
   *     first
   * @param published all generations of the view whose rows are not gone
   */
  public static BuildRequest of(
      String definition,
      ViewWish present,
      Collection<PublishedGeneration> staying,
      Collection<PublishedGeneration> published) {
    for (PublishedGeneration generation : staying) {
      if (generation.definition().equals(definition)) {
        return generation.build();
      }
    }
    if (present == null) {
      return BuildRequest.FIRST;
    }
    long number = present.build().number();
    boolean used =
        published.stream()
            .anyMatch(
                other -> other.definition().equals(definition) && other.build().number() == number);
    return new BuildRequest(used ? unused(present, published) : number, BuildMode.STATE);
  }

  /** A build number above those of the wish and of all generations of the view. */
  public static long unused(ViewWish present, Collection<PublishedGeneration> published) {
    return 1
        + LongStream.concat(
                LongStream.of(present.build().number()),
                published.stream().mapToLong(generation -> generation.build().number()))
            .max()
            .orElseThrow();
  }
}
