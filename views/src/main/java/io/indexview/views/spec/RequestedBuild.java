package io.indexview.views.spec;

import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import java.util.Collection;
import java.util.stream.LongStream;

/** Which build of a definition is to be asked for. */
public final class RequestedBuild {
  private RequestedBuild() {}

  /**
   * The build of a definition that differs from the present one: one that stands already, if its
   * rows are of this definition and stay, or else one that no generation of this definition had.
   *
   * @param present the spec that stands; null: there is none
   * @param staying the view's generations that are not on their way out, the one to be preferred
   *     first
   * @param published all generations of the view whose rows are not gone
   */
  public static BuildRequest of(
      String definition,
      ViewSpec present,
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

  /** A build number above those of the spec and of all generations of the view. */
  public static long unused(ViewSpec present, Collection<PublishedGeneration> published) {
    return 1
        + LongStream.concat(
                LongStream.of(present.build().number()),
                published.stream().mapToLong(generation -> generation.build().number()))
            .max()
            .orElseThrow();
  }
}
