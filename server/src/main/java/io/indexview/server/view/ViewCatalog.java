package io.indexview.server.view;

import io.indexview.client.admin.ViewAdmin;
import io.indexview.client.admin.ViewChange;
import io.indexview.client.admin.ViewStatus;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.schemas.control.ViewSpec;
import java.util.List;
import java.util.OptionalLong;

/**
 * The views of an installation. Safe for use by many threads; every method throws as its namesake
 * of {@link ViewAdmin}.
 */
public interface ViewCatalog {
  List<ViewStatus> list();

  ViewStatus get(String view);

  List<RecordSetInfo> recordSets();

  /** What {@link #apply} would do. */
  ViewChange diff(String origin, String text);

  ViewChange apply(String origin, String text, OptionalLong expected);

  void drop(String view, OptionalLong expected);

  ViewSpec rebuild(String view, BuildMode mode, OptionalLong expected);

  ViewSpec rollback(String view, OptionalLong expected);

  /** The catalog that an administrator gives; it stays the caller's to close. */
  static ViewCatalog of(ViewAdmin admin) {
    return new ViewCatalog() {
      @Override
      public List<ViewStatus> list() {
        return admin.list();
      }

      @Override
      public ViewStatus get(String view) {
        return admin.get(view);
      }

      @Override
      public List<RecordSetInfo> recordSets() {
        return admin.recordSets();
      }

      @Override
      public ViewChange diff(String origin, String text) {
        return admin.diff(origin, text);
      }

      @Override
      public ViewChange apply(String origin, String text, OptionalLong expected) {
        return admin.apply(origin, text, expected);
      }

      @Override
      public void drop(String view, OptionalLong expected) {
        admin.drop(view, expected);
      }

      @Override
      public ViewSpec rebuild(String view, BuildMode mode, OptionalLong expected) {
        return admin.rebuild(view, mode, expected);
      }

      @Override
      public ViewSpec rollback(String view, OptionalLong expected) {
        return admin.rollback(view, expected);
      }
    };
  }
}
